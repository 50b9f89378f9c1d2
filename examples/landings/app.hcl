app "landings" {
  description          = "Flights out of New York and their landings: time in the air by route, and flights that never landed."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Flight" {
  flight_id = string
  origin    = string
  dest      = string
  cancelled = bool
}

type "Landing" {
  air_time = int64
}

stream "flights" {
  topic = "flights"
  key   = string
  value = json(Flight)
}

stream "landings" {
  topic = "landings"
  key   = string
  value = json(Landing)
}

stream "departed" {
  from = stream.flights

  filter_not { where = value.cancelled }
}

table "air_time_by_route" {
  description = "Flights that landed within twelve hours, and their minutes in the air, by route."
  from        = stream.departed

  join {
    with   = stream.landings
    as     = landing
    before = "0s"
    after  = "12h"
    grace  = "24h"
    value  = { route = "${value.origin}-${value.dest}", air_time = landing.air_time }
  }
  group_by { key = value.route }
  aggregate {
    value = {
      flights      = count()
      air_time_sum = sum(value.air_time)
    }
  }
  store "air-time-by-route" {
    unbounded = "one row a route"
  }
}

stream "never_landed" {
  description = "Flights that left and have no landing within twelve hours, a day after that."
  from        = stream.departed

  left_join {
    with   = stream.landings
    as     = landing
    before = "0s"
    after  = "12h"
    grace  = "24h"
    value  = { flight_id = value.flight_id, landed = landing != null }
  }
  filter_not { where = value.landed }
  map_values { value = value.flight_id }
}

sink "air_time_by_route" {
  from  = table.air_time_by_route
  topic = "air-time-by-route"
  value = json
}

sink "never_landed" {
  from  = stream.never_landed
  topic = "never-landed"
  value = string
}
