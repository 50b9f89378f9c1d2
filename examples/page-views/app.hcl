app "page-views" {
  description          = "Views of each page in five minutes, sent once, two minutes after them."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "View" {
  page = string
  user = string
}

stream "views" {
  topic = "page-views"
  key   = optional(string)
  value = json(View)

  time {
    max_future = "1h"
    idle       = "10m"
  }
}

table "views_per_5min" {
  from = stream.views
  emit = "final"

  group_by { key = value.page }
  window "tumbling" {
    size  = "5m"
    grace = "2m"
  }
  count {}
  store "views-per-5min" {}
}

stream "page_view_counts" {
  from = table.views_per_5min

  select_key { key = "${key}@${window.start}" }
}

sink "page_view_counts" {
  from  = stream.page_view_counts
  topic = "page-view-counts"
  value = int64
}
