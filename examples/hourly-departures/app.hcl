app "hourly-departures" {
  description          = "Flights that left New York, by airport and hour, for three answers to the question how long to wait."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Flight" {
  origin    = string
  cancelled = bool
}

stream "flights" {
  topic = "flights"
  key   = string
  value = json(Flight)

  time {
    max_future = "never"
    idle       = "never"
  }
}

stream "departures" {
  from = stream.flights

  filter_not { where = value.cancelled }
  select_key { key = value.origin }
  repartition "departures" {}
}

table "within_10m" {
  description = "What is known ten minutes after the hour."
  from        = stream.departures
  emit        = "final"

  window "tumbling" {
    size  = "1h"
    grace = "10m"
  }
  count {}
}

table "within_60m" {
  description = "What is known an hour later."
  from        = stream.departures
  emit        = "final"

  window "tumbling" {
    size  = "1h"
    grace = "60m"
  }
  count {}
}

table "within_24h" {
  description = "What is known a day later: all there is."
  from        = stream.departures
  emit        = "final"

  window "tumbling" {
    size  = "1h"
    grace = "24h"
  }
  count {}
}

sink "within_10m" {
  from  = table.within_10m
  topic = "departures-within-10m"
  value = int64
}

sink "within_60m" {
  from  = table.within_60m
  topic = "departures-within-60m"
  value = int64
}

sink "within_24h" {
  from  = table.within_24h
  topic = "departures-within-24h"
  value = int64
}
