local aggregate = require("lib.aggregate")

-- Only how the job ended, with the reasons and messages of Karmada.
function AggregateStatus(obj, items)
  local done = { type = "Succeeded", reason = "Completed", message = "TFJob completed successfully" }
  return aggregate.job(obj, items, done, function(ended)
    if ended then
      ended.lastUpdateTime = nil
      return { ended }
    end
  end)
end
