package library

import "github.com/streamgen/streamgen/spec/types"

// hashes are functions that spread values; sha256 also hides them.
var hashes = group{name: "Hashes", about: "A string is hashed as its UTF-8 bytes.", functions: []Function{
	{
		Name: "murmur2", Params: params(data("x")), Least: 1, Result: types.Int32,
		Doc: "Kafka's murmur2, that of its default partitioner: with its highest bit cleared, modulo the number of partitions, it is the partition of a key.", Examples: examples(`murmur2("21")`, `-973932308`, `murmur2("foobar")`, `-790332482`),
	},
	{
		Name: "xxhash", Params: params(data("x")), Least: 1, Result: i64,
		Doc: "XXH64 with seed 0, its bits as an int64.", Examples: examples(`xxhash("")`, `-1205034819632174695`, `xxhash("a")`, `-3292477735350538661`),
	},
	{
		Name: "sha256", Params: params(data("x")), Least: 1, Result: byt,
		Doc: "SHA-256: 32 bytes.", Examples: examples(`hex(sha256("abc"))`, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`),
	},
}}

// encodings are functions between bytes and texts.
var encodings = group{name: "Encodings", functions: []Function{
	{
		Name: "hex", Params: params(data("x")), Least: 1, Result: str,
		Doc: "x in hexadecimal digits, in lower case.", Examples: examples(`hex("hé")`, `"68c3a9"`),
	},
	{
		Name: "unhex", Params: params(of("s", str)), Least: 1, Result: byt, Fails: "not hexadecimal",
		Doc: "The bytes that s says in hexadecimal digits of either case.", Examples: examples(`try(string(unhex("4F4b")), "")`, `"OK"`, `try(string(unhex("4")), "no")`, `"no"`),
	},
	{
		Name: "base64", Params: params(data("x")), Least: 1, Result: str,
		Doc: "x in Base64, with padding.", Examples: examples(`base64("hi?>")`, `"aGk/Pg=="`),
	},
	{
		Name: "unbase64", Params: params(of("s", str)), Least: 1, Result: byt, Fails: "not Base64",
		Doc: "The bytes that s says in Base64, of the standard or the URL alphabet, with or without padding.", Examples: examples(`try(string(unbase64("aGk/Pg==")), "")`, `"hi?>"`, `try(string(unbase64("aGk_Pg")), "")`, `"hi?>"`, `try(string(unbase64("a!")), "no")`, `"no"`),
	},
	{
		Name: "url_encode", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s with all but letters, digits and - . _ ~ written as %XX, as RFC 3986 has it.", Examples: examples(`url_encode("a b/é~")`, `"a%20b%2F%C3%A9~"`),
	},
	{
		Name: "url_decode", Params: params(of("s", str)), Least: 1, Result: str, Fails: "a % without two hexadecimal digits, or not UTF-8",
		Doc: "s with each %XX as the byte it stands for. A plus sign stays one.", Examples: examples(`try(url_decode("a%20b%2F%c3%A9+"), "")`, `"a b/é+"`, `try(url_decode("100%"), "no")`, `"no"`),
	},
}}

// uuids are functions of UUIDs. None makes one of chance: a replay must give it again.
var uuids = group{name: "UUIDs", about: "A text becomes a UUID by uuid(s), a UUID a text by string(u). None is made of chance or of the clock: a replay must give the same again.", functions: []Function{
	{
		Name: "uuid_v5", Params: params(of("space", types.UUID), data("name")), Least: 2, Result: types.UUID,
		Doc: "The UUID that the name has in the space, by SHA-1, as RFC 9562 has it: equal names give equal UUIDs.", Examples: examples(`string(uuid_v5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"))`, `"2ed6657d-e927-568b-95e1-2665a8aea6a2"`),
	},
	{
		Name: "uuid_version", Params: params(of("u", types.UUID)), Least: 1, Result: i64,
		Doc: "The version of u: how it was made.", Examples: examples(`uuid_version("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")`, `7`),
	},
	{
		Name: "uuid_time", Params: params(of("u", types.UUID)), Least: 1, Result: types.OptionalOf(ts),
		Doc: "When u was made, to the millisecond, if it is of version 1, 6 or 7; null of others.", Examples: examples(
			`string(coalesce(uuid_time("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "1970-01-01T00:00:00Z"))`, `"2022-02-22T19:22:22.000Z"`,
			`string(coalesce(uuid_time("c232ab00-9414-11ec-b3c8-9f6bdeced846"), "1970-01-01T00:00:00Z"))`, `"2022-02-22T19:22:22.000Z"`,
			`string(coalesce(uuid_time("1ec9414c-232a-6b00-b3c8-9f6bdeced846"), "1970-01-01T00:00:00Z"))`, `"2022-02-22T19:22:22.000Z"`,
			`uuid_time("919108f7-52d1-4320-9bac-f847db4148a8") == null`, `true`),
	},
}}

// jsonPath is a function that reads one value of a JSON document.
func jsonPath(name string, result types.Type, what string, e ...string) Function {
	return Function{
		Name: name, Params: params(data("json"), fixed("path", str, Path)), Least: 2, Result: types.OptionalOf(result),
		Doc: what + " at the path, or null where there is none.", Fails: "not JSON, or another type at the path", Examples: examples(e...),
	}
}

// jsonFunctions read documents whose type no spec declares.
var jsonFunctions = group{name: "JSON", about: "They read a value out of a document that has no type of its own: `value = bytes` on the source. A path is constant: $ is the document, .name or [\"name\"] a field, [0] an element. " +
	"Null, a field that is missing and an element beyond the end are null; a value of another type fails, and so does what is no JSON.", functions: []Function{
	jsonPath("json_string", str, "The string", `try(json_string("{\"a\":{\"b\":[\"x\",\"y\"]}}", "$.a.b[1]"), null)`, `"y"`, `coalesce(try(json_string("{\"a\":1}", "$.b"), "failed"), "null")`, `"null"`, `try(json_string("{\"a\":1}", "$.a"), "failed")`, `"failed"`),
	jsonPath("json_int64", i64, "The whole number", `try(json_int64("{\"n\":9007199254740993}", "$.n"), null)`, `9007199254740993`, `try(json_int64("{\"n\":1.5}", "$.n"), -1)`, `-1`),
	jsonPath("json_float64", f64, "The number", `try(json_float64("[1.5]", "$[0]"), null)`, `1.5`),
	jsonPath("json_bool", yes, "The bool", `try(json_bool("{\"a b\":true}", "$[\"a b\"]"), null)`, `true`),
	jsonPath("json_raw", byt, "The bytes of the value, of whatever type,", `try(json_raw("{\"a\": {\"b\": 1}}", "$.a"), null) == null`, `false`, `try(string(coalesce(json_raw("{\"a\": [1, 2]}", "$.a"), "")), "")`, `"[1, 2]"`),
}}
