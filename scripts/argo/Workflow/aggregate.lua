local members = require("lib.members")

local worst = { "Error", "Failed", "Running", "Pending" }

-- progress is "done/all", in pods.
local function progress(items)
  local done, all = 0, 0
  for _, each in ipairs(members.values(items, "progress")) do
    local n, m = string.match(each, "^(%d+)/(%d+)$")
    done, all = done + (n or 0), all + (m or 0)
  end
  return all > 0 and done .. "/" .. all or nil
end

local function durations(items)
  local fields = {}
  for _, each in ipairs(members.values(items, "resourcesDuration")) do
    for name in pairs(each) do
      table.insert(fields, { "resourcesDuration", name })
    end
  end
  return kube.sumStatus(items, fields).resourcesDuration
end

function AggregateStatus(obj, items)
  return members.into(obj, items, function()
    local ended = #members.values(items, "finishedAt") == #items
    return {
      phase = members.phase(items, worst),
      startedAt = kube.earliest(items, "startedAt"),
      finishedAt = ended and kube.latest(items, "finishedAt") or nil,
      estimatedDuration = kube.latest(items, "estimatedDuration"),
      progress = progress(items),
      message = members.messages(items),
      conditions = members.conditions(items),
      resourcesDuration = durations(items),
    }
  end)
end
