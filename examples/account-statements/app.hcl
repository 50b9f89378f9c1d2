app "account-statements" {
  description          = "Accounts with what is on them and whose they are."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Customer" {
  name = string
  city = string
}

type "Account" {
  customer_id = string
  kind        = string
}

type "Statement" {
  customer = string
  city     = string
  kind     = string
  balance  = int64
}

table "customers" {
  topic = "customers"
  key   = string
  value = json(Customer)
}

table "accounts" {
  topic = "accounts"
  key   = string
  value = json(Account)
}

table "balances" {
  topic = "balances"
  key   = string
  value = int64
}

table "statements" {
  description = "An account with its balance, 0 if nothing was ever paid in, and its customer."
  from        = table.accounts

  left_join {
    with  = table.balances
    as    = balance
    value = merge(value, { balance = coalesce(balance, 0) })
  }
  join {
    with  = table.customers
    as    = customer
    on    = value.customer_id
    value = Statement({ customer = customer.name, city = customer.city, kind = value.kind, balance = value.balance })
  }
}

sink "statements" {
  from  = table.statements
  topic = "statements"
  value = json(Statement)
}
