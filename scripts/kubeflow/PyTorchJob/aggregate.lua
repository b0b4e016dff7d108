local aggregate = require("lib.aggregate")

function AggregateStatus(obj, items)
  return aggregate.training(obj, items)
end
