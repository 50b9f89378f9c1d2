app "session-aggregate-delete" {
  processing_guarantee = "at_least_once"
  start                = "earliest"
}

stream "in" {
  topic = "in"
  key   = optional(string)
  value = optional(string)
}

table "sessions" {
  from = stream.in
  emit = "every"

  window "session" {
    gap   = "5ms"
    grace = "3ms"
  }
  fold {
    init  = ""
    add   = value == null || value == "x" ? null : agg + value
    merge = left + right
  }

  store "sessions" {
    retention = "1000s"
  }
}

sink "out" {
  from  = table.sessions
  topic = "out"
  value = string
}
