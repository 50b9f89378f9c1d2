app "emit-final-default-retention" {
  processing_guarantee = "at_least_once"
  start                = "earliest"
}

stream "in" {
  topic = "in"
  key   = optional(string)
  value = optional(string)
}

table "counts" {
  from = stream.in
  emit = "final"

  window "tumbling" {
    size  = "10ms"
    grace = "5ms"
  }
  count {}
}

sink "out" {
  from  = table.counts
  topic = "out"
  value = int64
}
