-- The memory of a process that Flink's configuration asks for (Flink 1.15 to 2.2).

-- A size of memory in MiB; default, in MiB too, where the option is not there.
local function mebibytes(config, name, default)
  local size = config[name]
  return size and kube.getResourceQuantity(kube.flinkMemory(size)) / 1048576 or default
end

-- The memory that a flat configuration asks for a role, jobmanager or taskmanager; nil where it
-- says nothing. To the memory of Flink come the metaspace and an overhead, which is a share of
-- the whole within bounds (ProcessMemoryUtils).
return function(config, role)
  local prefix = role .. ".memory."
  local process = config[prefix .. "process.size"]
  if process then
    return kube.flinkMemory(process)
  end
  local size = mebibytes(config, prefix .. "flink.size")
  if not size then
    return nil
  end
  local inner = size + mebibytes(config, prefix .. "jvm-metaspace.size", 256)
  local share = tonumber(config[prefix .. "jvm-overhead.fraction"] or 0.1)
  local overhead = math.max(inner * share / (1 - share), mebibytes(config, prefix .. "jvm-overhead.min", 192))
  return math.floor(inner + math.min(overhead, mebibytes(config, prefix .. "jvm-overhead.max", 1024))) .. "Mi"
end
