local job = require("lib.job")

function AggregateStatus(obj, items)
  return job.aggregate(obj, items)
end
