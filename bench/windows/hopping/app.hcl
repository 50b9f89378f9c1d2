app "bench-hopping" {
  description          = "Events by key in the last minute, each second."
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

  window "hopping" {
    size    = "60s"
    advance = "1s"
    grace   = "0s"
  }
  count {}
}

sink "counts" {
  from  = table.events
  topic = "counts"
  value = int64
}
