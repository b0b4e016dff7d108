local members = require("lib.members")

-- The workflows of all clusters. It is stopped when it is in all of them.
function AggregateStatus(obj, items)
  return members.into(obj, items, function()
    local status = kube.sumStatus(items, { "failed", "succeeded" })
    local active = kube.list()
    for _, each in ipairs(members.values(items, "active")) do
      active = kube.concat(active, each)
    end
    status.active = #active > 0 and active or nil
    status.conditions = members.conditions(items)
    status.lastScheduledTime = kube.latest(items, "lastScheduledTime")
    status.phase = members.phase(items, { "Active" })
    return status
  end)
end
