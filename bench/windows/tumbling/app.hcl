app "bench-tumbling" {
  description          = "Events by key in ten seconds, each window once."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

stream "events" {
  topic = "events"
  key   = string
  value = int64

  time {
    max_future = "never"
    idle       = "never"
  }
}

table "events" {
  from = stream.events
  emit = "final"

  window "tumbling" {
    size  = "10s"
    grace = "0s"
  }
  count {}
}

sink "counts" {
  from  = table.events
  topic = "counts"
  value = int64
}
