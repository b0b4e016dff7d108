local members = require("lib.members")

-- The workflows of all clusters. The phase is Stopped only where it is so in all of them.
function AggregateStatus(obj, items)
  return members.into(obj, items, function()
    local status = kube.sumStatus(items, { "failed", "succeeded" })
    local active = kube.list()
    for _, each in ipairs(members.values(items, "active")) do
      active = kube.concat(active, each)
    end
    status.active = kube.orNil(active)
    status.conditions = members.conditions(items)
    status.lastScheduledTime = kube.latest(items, "lastScheduledTime")
    status.phase = members.phase(items, { "Active" })
    return status
  end)
end
