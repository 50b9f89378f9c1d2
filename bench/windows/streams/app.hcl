app "bench-streams" {
  description          = "Clicks and views of a key that lie at most ten seconds apart."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

stream "clicks" {
  topic = "clicks"
  key   = string
  value = int64
}

stream "views" {
  topic = "views"
  key   = string
  value = int64
}

stream "seen" {
  from = stream.clicks

  join {
    with   = stream.views
    as     = view
    before = "10s"
    after  = "10s"
    grace  = "0s"
    value  = value + view
  }
}

sink "seen" {
  from  = stream.seen
  topic = "seen"
  value = int64
}
