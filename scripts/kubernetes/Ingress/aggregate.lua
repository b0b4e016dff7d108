local addresses = require("lib.addresses")

function AggregateStatus(obj, items)
  return addresses.aggregate(obj, items)
end
