app "bench-count" {
  description          = "Events by key: the smallest state worth measuring."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

stream "events" {
  topic = "events"
  key   = string
  value = int64
}

table "events" {
  from = stream.events

  count {}
  store "events" { unbounded = "one row a key of the benchmark" }
}

sink "counts" {
  from  = table.events
  topic = "counts"
  value = int64
}
