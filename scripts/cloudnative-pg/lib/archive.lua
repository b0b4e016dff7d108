-- Where the data of a Cluster is beside its volumes: an archive of base backups and WAL in an
-- object store, in a folder for each server name. It is that of the field backup, or since
-- CloudNativePG 1.26 that of the Barman Cloud plugin.

local archive = {}

local plugin = "barman-cloud.cloudnative-pg.io"

local key, mark = "postgresql.cnpg.io/archived-as", "interpreter.dragoman.io/recovered-from"

-- The name in externalClusters of the server that the data is recovered from.
local origin = "failover-origin"

-- The configuration of the plugin that archives, nil where none does.
local function archiver(obj)
  for _, each in ipairs(kube.get(obj, "spec.plugins", {})) do
    if each.name == plugin and each.isWALArchiver and each.enabled ~= false then
      return each
    end
  end
end

-- The name under which the cluster archives, by default its own; nil where it does not.
local function serverName(obj)
  local name
  local own = archiver(obj)
  if own then
    name = kube.get(own, "parameters.serverName", "")
  elseif kube.get(obj, "spec.backup.barmanObjectStore") then
    name = kube.get(obj, "spec.backup.barmanObjectStore.serverName", "")
  end
  return name == "" and kube.get(obj, "metadata.name") or name
end

-- Reports whether the cluster follows another one. Which of them is the primary its user says.
local function follows(obj)
  local replica = kube.get(obj, "spec.replica", {})
  return replica.enabled == true or (replica.primary or "") ~= ""
end

-- Reports whether the status reports a base backup in the archive. The first field is not set
-- for plugins.
function archive.exists(obj)
  local point = kube.get(obj, "status.firstRecoverabilityPoint", "")
  return serverName(obj) ~= nil and (point ~= "" or kube.conditionTrue(obj, "LastBackupSucceeded"))
end

-- The server name of an archive that holds a base backup, by the status or by a Backup that
-- is complete. WAL alone recovers nothing, nor does a volume snapshot in another cluster.
function archive.state(obj, related)
  local backup = kube.get(related[1] or {}, "status.method", "")
  local stored = backup == "barmanObjectStore" or backup == "plugin"
  if follows(obj) or not serverName(obj) or not (stored or archive.exists(obj)) then
    return nil
  end
  return { [key] = serverName(obj) }
end

-- The name for the archive of the recovered cluster. CloudNativePG refuses one that is not
-- empty ("Expected empty archive"), so each move has a new one: pg, pg-r1, pg-r2.
local function nextName(server)
  local base, number = string.match(server, "^(.*)%-r(%d+)$")
  return (base or server) .. "-r" .. (tonumber(number) or 0) + 1
end

-- The archive of server as an external cluster, and a new name for the own archive.
local function source(obj, server)
  local own = archiver(obj)
  if own then
    own.parameters = own.parameters or {}
    local parameters = kube.merge(own.parameters, { serverName = server })
    own.parameters.serverName = nextName(server)
    return { name = origin, plugin = { name = plugin, parameters = parameters } }
  end
  local store = obj.spec.backup.barmanObjectStore
  local from = kube.merge(store, { serverName = server })
  store.serverName = nextName(server)
  return { name = origin, barmanObjectStore = from }
end

-- Makes the cluster begin with the data that server has archived, with the database and
-- owner that the template names.
local function recover(obj, server)
  local bootstrap = kube.get(obj, "spec.bootstrap", {})
  local known = bootstrap.initdb or bootstrap.recovery or bootstrap.pg_basebackup
  local recovery = kube.pick(known, { "database", "owner", "secret" })
  recovery.source = origin
  local others = kube.list()
  for _, each in ipairs(obj.spec.externalClusters or {}) do
    if each.name ~= origin then
      table.insert(others, each)
    end
  end
  obj.spec.externalClusters = kube.concat(others, { source(obj, server) })
  obj.spec.bootstrap = { recovery = recovery }
  obj.metadata.annotations = kube.merge(obj.metadata.annotations, { [mark] = server })
  return obj
end

function archive.restore(desired, state)
  local server = state[key]
  if not server or not serverName(desired) or follows(desired) then
    return desired
  end
  return recover(desired, server)
end

-- A cluster that was recovered keeps where from, and the name of its archive.
function archive.retain(desired, observed)
  local server = kube.get(observed, { "metadata", "annotations", mark })
  if not server or not serverName(desired) then
    return desired
  end
  return recover(desired, server)
end

return archive
