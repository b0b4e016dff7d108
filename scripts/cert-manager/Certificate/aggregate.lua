-- What a condition says where all is well.
local well = { Ready = "True", Issuing = "False" }

-- One condition of each type, for the API server takes no more: of clusters that differ,
-- one of those that are not well.
local function conditions(items)
  local told = {}
  for _, condition in ipairs(kube.mergeConditions(items)) do
    local type = condition.type
    if not told[type] or (told[type].status == well[type] and condition.status ~= well[type]) then
      told[type] = condition
    end
  end
  local list = {}
  for _, condition in pairs(told) do
    table.insert(list, condition)
  end
  return list[1] and list
end

-- Each cluster has a certificate of its own. Together they are valid from when the last
-- became valid until the first ends.
function AggregateStatus(obj, items)
  local status = {
    conditions = conditions(items),
    failedIssuanceAttempts = kube.latest(items, "failedIssuanceAttempts"),
    lastFailureTime = kube.latest(items, "lastFailureTime"),
    notAfter = kube.earliest(items, "notAfter"),
    notBefore = kube.latest(items, "notBefore"),
    renewalTime = kube.earliest(items, "renewalTime"),
    revision = kube.latest(items, "revision"),
  }
  if next(status) then
    obj.status = status
  end
  return obj
end
