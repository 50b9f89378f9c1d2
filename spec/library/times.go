package library

import "github.com/streamgen/streamgen/spec/types"

var zone = fixed("zone", str, Zone)

// part is a part of the calendar.
func part(name, doc, of_, result string) Function {
	return Function{
		Name: name, Params: params(of("t", ts), zone), Least: 1, Result: types.Int64, Doc: doc,
		Examples: examples(name+`(timestamp("2024-02-29T23:05:07.125Z"))`, of_, name+`(timestamp("2024-02-29T23:05:07.125Z"), "Asia/Kolkata")`, result),
	}
}

// times are functions of timestamps and durations. There is no now: a result depends on the record alone, so that a replay
// gives it again.
var times = group{name: "Time", about: "A zone is a name of the IANA database, constant, loaded when the program starts; without one it is UTC. A layout is Go's, constant: the reference time Mon Jan 2 15:04:05 MST 2006, written as the time is to be written. " +
	"There is no now: results depend on records alone. `timestamp` is the time of the record.", functions: []Function{
	{
		Name: "parse_time", Params: params(of("s", str), fixed("layout", str, Layout), zone), Least: 2, Result: ts,
		Doc:   "The time that s says in that layout; where it names no zone, in the zone given. Digits below the millisecond are dropped.",
		Fails: "not a time of that layout",
		Examples: examples(
			`try(parse_time("2024-05-01 14:30", "2006-01-02 15:04"), timestamp)`, `timestamp("2024-05-01T14:30:00Z")`,
			`try(parse_time("01.05.2024 14:30", "02.01.2006 15:04", "Europe/Berlin"), timestamp)`, `timestamp("2024-05-01T12:30:00Z")`,
			`try(unix_ms(parse_time("yesterday", "2006-01-02")), -1)`, `-1`),
	},
	{
		Name: "format_time", Params: params(of("t", ts), fixed("layout", str, Layout), zone), Least: 2, Result: str,
		Doc: "t in that layout.",
		Examples: examples(
			`format_time(timestamp("2024-05-01T22:30:00Z"), "2006-01-02")`, `"2024-05-01"`,
			`format_time(timestamp("2024-05-01T22:30:00Z"), "Mon 2 Jan 2006 15:04 MST", "Europe/Berlin")`, `"Thu 2 May 2024 00:30 CEST"`),
	},
	{
		Name: "truncate", Params: params(of("t", ts), fixed("to", dur, Length)), Least: 2, Result: ts,
		Doc: "t, down to a multiple of a duration since 1970 in UTC.", Examples: examples(`truncate(timestamp("2024-05-01T14:37:08.5Z"), "15m")`, `timestamp("2024-05-01T14:30:00Z")`),
	},
	{
		Name: "start_of", Params: params(of("t", ts), fixed("unit", str, Unit), zone), Least: 2, Result: ts,
		Doc: "The beginning of the minute, hour, day, week (Monday), month, quarter or year that t lies in, by the clocks of the zone.",
		Examples: examples(
			`start_of(timestamp("2024-05-01T14:37:08Z"), "month")`, `timestamp("2024-05-01T00:00:00Z")`,
			`start_of(timestamp("2024-05-05T22:30:00Z"), "week", "Europe/Berlin")`, `timestamp("2024-05-05T22:00:00Z")`,
			`start_of(timestamp("2024-05-05T14:37:08.125Z"), "hour", "Asia/Kolkata")`, `timestamp("2024-05-05T14:30:00Z")`,
			`start_of(timestamp("2024-05-05T14:37:08.125Z"), "quarter")`, `timestamp("2024-04-01T00:00:00Z")`,
			// The day on which clocks go forward has 23 hours.
			`start_of(timestamp("2024-03-31T12:00:00Z"), "day", "Europe/Berlin")`, `timestamp("2024-03-30T23:00:00Z")`),
	},
	part("year", "The year of t.", `2024`, `2024`),
	part("month", "The month of t, from 1 to 12.", `2`, `3`),
	part("day", "The day of the month of t, from 1.", `29`, `1`),
	part("hour", "The hour of t, from 0 to 23.", `23`, `4`),
	part("minute", "The minute of t, from 0 to 59.", `5`, `35`),
	part("second", "The second of t, from 0 to 59.", `7`, `7`),
	part("millisecond", "The millisecond of t, from 0 to 999.", `125`, `125`),
	part("weekday", "The day of the week of t, from 1 for Monday to 7 for Sunday.", `4`, `5`),
	part("day_of_year", "The day of the year of t, from 1.", `60`, `61`),
	part("week", "The week of t by ISO 8601, from 1 to 53.", `9`, `9`),
	{
		Name: "unix_ms", Params: params(of("t", ts)), Least: 1, Result: i64,
		Doc: "The milliseconds from 1970 to t, as Kafka counts.", Examples: examples(`unix_ms(timestamp("1970-01-01T00:00:01.5Z"))`, `1500`),
	},
	{
		Name: "unix_s", Params: params(of("t", ts)), Least: 1, Result: i64,
		Doc: "The whole seconds from 1970 to t, rounded down.", Examples: examples(`unix_s(timestamp("1970-01-01T00:00:01.5Z"))`, `1`, `unix_s(timestamp("1969-12-31T23:59:59.5Z"))`, `-1`),
	},
	{
		Name: "from_unix_ms", Params: params(of("n", i64)), Least: 1, Result: ts,
		Doc: "The time n milliseconds after 1970 began.", Examples: examples(`from_unix_ms(1500)`, `timestamp("1970-01-01T00:00:01.5Z")`),
	},
	{
		Name: "from_unix_s", Params: params(of("n", i64)), Least: 1, Result: ts,
		Doc: "The time n seconds after 1970 began.", Examples: examples(`from_unix_s(90)`, `timestamp("1970-01-01T00:01:30Z")`),
	},
	{
		Name: "to_ms", Params: params(of("d", dur)), Least: 1, Result: i64,
		Doc: "d in milliseconds.", Examples: examples(`to_ms("1m30s")`, `90000`),
	},
	{
		Name: "from_ms", Params: params(of("n", i64)), Least: 1, Result: dur,
		Doc: "A duration of n milliseconds.", Examples: examples(`to_ms(from_ms(90000))`, `90000`),
	},
}}
