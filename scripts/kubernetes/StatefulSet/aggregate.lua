local counts = require("lib.counts")

function AggregateStatus(obj, items)
  return counts.sum(obj, items)
end
