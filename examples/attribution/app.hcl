app "attribution" {
  description          = "Which campaigns purchases come from."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Click" { campaign = string }

type "Purchase" { amount = decimal(12, 2) }

stream "purchases" {
  topic = "purchases"
  key   = string
  value = json(Purchase)
}

stream "clicks" {
  topic = "clicks"
  key   = string
  value = json(Click)
}

stream "attributed" {
  description = "Purchases with each click of the same user in the ten minutes before."
  from        = stream.purchases

  left_join {
    with   = stream.clicks
    as     = click
    before = "10m"
    after  = "0s"
    grace  = "1m"
    value  = merge(value, { campaign = click == null ? null : click.campaign })
  }
}

sink "attributed" {
  from  = stream.attributed
  topic = "attributed-purchases"
  value = json
}
