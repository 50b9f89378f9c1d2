app "failed-logins" {
  description          = "An alert for each user whose logins fail five times or more in five minutes."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Login" {
  ok    = bool
  ip    = string
  model = optional(string)
}

stream "logins" {
  topic = "logins"
  key   = string
  value = json(Login)

  time {
    max_future = "1h"
    idle       = "10m"
  }
}

table "failures" {
  description = "Failed logins of a user in five minutes."
  from        = stream.logins
  emit        = "final"

  filter_not { where = value.ok }
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}

stream "suspicious" {
  from = table.failures

  filter { where = value >= 5 }
}

sink "suspicious" {
  from  = stream.suspicious
  topic = "suspicious-logins"
  value = int64
}
