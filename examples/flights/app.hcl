app "flights" {
  description          = "Flights out of New York: departure delay by the maker of the plane, and flights by airline."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Flight" {
  flight_id           = string
  carrier             = string
  flight              = int64
  tailnum             = optional(string)
  origin              = string
  dest                = string
  scheduled_departure = timestamp
  dep_delay           = optional(int64)
  distance            = int64
  cancelled           = bool
}

type "Plane" {
  tailnum      = string
  year         = optional(int64)
  type         = string
  manufacturer = string
  model        = string
  engines      = int64
  seats        = int64
  engine       = string
}

type "Airline" {
  carrier = string
  name    = string
}

stream "flights" {
  topic = "flights"
  key   = string
  value = json(Flight)
}

table "planes" {
  topic = "planes"
  key   = string
  value = json(Plane)

  store "planes" {
    unbounded = "one row a plane"
  }
}

global_table "airlines" {
  description = "Few, and asked for by flights of any key."
  topic       = "airlines"
  key         = string
  value       = json(Airline)
}

table "delay_by_manufacturer" {
  description = "Departure delay, in minutes, of flights that left, by the maker of the plane."
  from        = stream.flights

  filter { where = !value.cancelled && value.dep_delay != null }
  select_key { key = value.tailnum } # null: dropped and counted by the join
  join {
    with  = table.planes
    as    = plane
    value = { manufacturer = plane.manufacturer, delay = value.dep_delay }
  }
  group_by { key = value.manufacturer }
  aggregate {
    value = {
      flights   = count()
      delay_sum = sum(value.delay)
      delay_max = max(value.delay)
    }
  }
  store "delay-by-manufacturer" {
    unbounded = "one row a manufacturer"
  }
}

sink "delay_by_manufacturer" {
  from  = table.delay_by_manufacturer
  topic = "delay-by-manufacturer"
  value = json
}

table "flights_by_airline" {
  description = "All flights, and those of them that were cancelled, by airline."
  from        = stream.flights

  join {
    with  = global_table.airlines
    as    = airline
    on    = value.carrier
    value = merge(value, { airline = airline.name })
  }
  group_by { key = value.carrier }
  aggregate {
    value = {
      name      = last(value.airline)
      flights   = count()
      cancelled = count(value.cancelled)
    }
  }
  store "flights-by-airline" {
    unbounded = "one row an airline"
  }
}

sink "flights_by_airline" {
  from  = table.flights_by_airline
  topic = "flights-by-airline"
  value = json
}
