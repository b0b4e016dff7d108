local status = require("lib.status")

function AggregateStatus(obj, items)
  return status.aggregate(obj, items)
end
