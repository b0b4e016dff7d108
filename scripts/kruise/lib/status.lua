-- The fields of a status that go to the control plane, and one status of all clusters.

local status = {}

-- Of each kind: counts and texts that are always in the status, others that are where there
-- are any, and fields that are those of the last cluster that has them.
local kinds = {
  CloneSet = {
    counts = {
      "replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "updatedReadyReplicas",
      "expectedUpdatedReplicas",
    },
    others = { "updatedAvailableReplicas" },
    texts = { "currentRevision", "updateRevision", "labelSelector" },
  },
  StatefulSet = {
    counts = { "replicas", "readyReplicas", "currentReplicas", "availableReplicas", "updatedReplicas" },
    others = { "updatedReadyReplicas", "updatedAvailableReplicas" },
    texts = { "currentRevision", "updateRevision", "labelSelector" },
    named = {
      field = "volumeClaims", key = "volumeClaimName", counts = { "compatibleReplicas", "compatibleReadyReplicas" },
    },
  },
  UnitedDeployment = {
    counts = { "replicas", "readyReplicas", "updatedReplicas", "updatedReadyReplicas" },
    others = { "reservedPods" },
    texts = { "currentRevision", "labelSelector" },
    last = { "updatedRevision", "updateStatus" },
    map = "subsetReplicas",
    named = {
      field = "subsetStatuses", key = "name", counts = { "replicas", "readyReplicas", "partition", "reservedPods" },
    },
  },
  DaemonSet = {
    counts = {
      "desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled", "numberReady",
      "numberAvailable", "numberMisscheduled",
    },
    others = { "numberUnavailable" },
    last = { "daemonSetHash", "updateRevision" },
  },
  SidecarSet = {
    counts = { "matchedPods", "updatedPods", "readyPods" },
    others = { "updatedReadyPods" },
    last = { "latestRevision" },
  },
}

-- The status of one cluster, with zero for a count that is missing. The generations
-- are added where the controller reports which one it has observed.
function status.reflect(obj)
  if not obj.status then
    return {}
  end
  local kind = kinds[obj.kind]
  local named = kind.named and { kind.named.field }
  local names = kube.concat(kind.counts, kind.others, kind.texts, kind.last, named, { kind.map }, { "conditions" })
  local kept = kube.pick(obj.status, names)
  if obj.status.observedGeneration then
    kept = kube.reflectStatus(obj, kube.concat(names, { "observedGeneration" }))
  end
  for _, name in ipairs(kind.counts) do
    kept[name] = kept[name] or 0
  end
  return kept
end

-- The field of the last cluster that has it.
local function last(items, field)
  local value
  for _, item in ipairs(items) do
    value = kube.get(item, { "status", field }, value)
  end
  return value
end

-- The sums over the clusters of a map of counts.
local function sumMap(items, field)
  local paths = {}
  for _, item in ipairs(items) do
    for key in pairs(kube.get(item, { "status", field }, {})) do
      table.insert(paths, { field, key })
    end
  end
  return kube.sumStatus(items, paths)[field]
end

-- The sums over the clusters of a list of maps with counts, by the key that names them.
local function sumNamed(items, named)
  local list, known = {}, {}
  for _, item in ipairs(items) do
    for _, one in ipairs(kube.get(item, { "status", named.field }, {})) do
      local name = one[named.key]
      local sum = known[name]
      if not sum then
        sum = { [named.key] = name }
        known[name] = sum
        table.insert(list, sum)
      end
      for _, count in ipairs(named.counts) do
        sum[count] = one[count] and (sum[count] or 0) + one[count] or sum[count]
      end
    end
  end
  return kube.orNil(list)
end

-- The fields that are no counts, of clusters that report.
local function describe(new, kind, items)
  for _, name in ipairs(kind.texts or {}) do
    new[name] = last(items, name) or ""
  end
  for _, name in ipairs(kind.last or {}) do
    new[name] = last(items, name)
  end
  new.conditions = kube.orNil(kube.mergeConditions(items))
  if kind.map then
    new[kind.map] = sumMap(items, kind.map)
  end
  if kind.named then
    new[kind.named.field] = sumNamed(items, kind.named)
  end
end

-- The object with the status of all clusters. It stays while none reports; where there are
-- none all counts are zero. observedGeneration advances when all have observed the
-- object as it is.
function status.aggregate(obj, items)
  local kind, reporting = kinds[obj.kind], kube.reported(items)
  if #items > 0 and #reporting == 0 then
    return obj
  end
  local new = { observedGeneration = kube.observedGeneration(obj, items) }
  for _, name in ipairs(kind.counts) do
    new[name] = 0
  end
  new = kube.sumStatus(items, kube.concat(kind.counts, kind.others), new)
  if #items > 0 then
    describe(new, kind, items)
  end
  obj.status = new
  return obj
end

return status
