app "bench-sessions" {
  description          = "Events by key that follow each other within five seconds."
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

  window "session" {
    gap   = "5s"
    grace = "0s"
  }
  count {}
}

sink "counts" {
  from  = table.events
  topic = "counts"
  value = int64
}
