local aggregate = require("lib.aggregate")

-- The status of the only cluster as it is, as Karmada has it; else that of all together.
function AggregateStatus(obj, items)
  if #items == 1 and items[1].status then
    obj.status = items[1].status
    return obj
  end
  return aggregate.training(obj, items)
end
