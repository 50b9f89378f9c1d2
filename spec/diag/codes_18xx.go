package diag

// codes18 are mistakes of wire formats.
var codes18 = []Code{
	{
		ID:    "SG1801",
		Title: "a sink's format does not fit what arrives",
		Text:  "A format writes one type. The conversion is a step, so that it can be seen.",
		Wrong: `sink "out" {
  from  = stream.amounts
  topic = "out"
  value = string
}
`,
		Right: `sink "out" {
  from  = stream.amounts
  topic = "out"
  value = int64
}
`,
	},
}
