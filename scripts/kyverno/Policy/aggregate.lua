local policy = require("lib.policy")

function AggregateStatus(obj, items)
  return policy.aggregate(obj, items)
end
