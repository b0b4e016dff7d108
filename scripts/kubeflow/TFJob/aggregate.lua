-- In the words of Karmada, which tells of a TFJob only how it ended.
local aggregate = require("lib.aggregate")

function AggregateStatus(obj, items)
  local done = { type = "Succeeded", reason = "Completed", message = "TFJob completed successfully" }
  return aggregate.job(obj, items, done, function(ended)
    if ended then
      ended.lastUpdateTime = nil
      return { ended }
    end
  end)
end
