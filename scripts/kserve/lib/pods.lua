-- The pods of an InferenceService: a predictor, perhaps with workers, a transformer and an
-- explainer.

local pods = {}

-- Fields of a predictor that describe the server of a model instead of a container of its own
-- (pkg/apis/serving/v1beta1/predictor.go, GetImplementations).
local servers = {
  "huggingface", "lightgbm", "model", "onnx", "paddle", "pmml", "pytorch", "sklearn", "tensorflow", "triton", "xgboost",
}

-- Resources that KServe takes for GPUs (constants.go, GPUResourceTypeList).
local gpus = { "nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu", "habana.ai/gaudi" }

-- Reports whether the service is stopped on purpose: its pods are deleted.
function pods.stopped(obj)
  return kube.get(obj, { "metadata", "annotations", "serving.kserve.io/stop" }) == "true"
end

-- The servers of models that a part has.
function pods.models(part)
  local all = kube.list()
  for _, field in ipairs(servers) do
    if part[field] then
      table.insert(all, part[field])
    end
  end
  return all
end

-- The pod of a part: its fields are those of a pod spec, and the server of the model is a
-- container. What the ServingRuntime adds is not seen.
function pods.template(part)
  return { spec = kube.merge(part, { containers = kube.concat(pods.models(part), part.containers) }) }
end

-- How many pods of a part there are without traffic, or else those that it starts with. A
-- minimum of 0 scales to zero, and a pod has to find room.
local function count(part)
  return math.max(part.minReplicas or 1, 1)
end

local function gpusOf(worker)
  for _, container in ipairs(worker.containers or {}) do
    for _, name in ipairs(gpus) do
      local quantity = kube.get(container, { "resources", "limits", name })
      if quantity then
        return kube.getResourceQuantity(quantity)
      end
    end
  end
end

-- How many workers a predictor of several nodes has: as many nodes as the GPUs of the model need,
-- of which the first is the predictor (components/predictor.go, computeRayNodeAndGPUs).
local function workers(worker)
  local tensor = worker.tensorParallelSize or 1
  local nodes = math.ceil(tensor * (worker.pipelineParallelSize or 2) / (gpusOf(worker) or tensor))
  return math.max(nodes - 1, 1)
end

-- A component for each part. All of one service run in one cluster.
function pods.components(obj)
  local all, spec = kube.list(), obj.spec or {}
  local running = pods.stopped(obj) and 0 or 1

  local function add(name, part, replicas)
    table.insert(all, kube.component(name, replicas * running, pods.template(part)))
  end

  for _, name in ipairs({ "predictor", "transformer", "explainer" }) do
    if spec[name] then
      add(name, spec[name], count(spec[name]))
    end
  end
  local worker = kube.get(spec, "predictor.workerSpec")
  if worker then
    add("worker", worker, workers(worker) * count(spec.predictor))
  end
  return all
end

function pods.replicas(obj)
  local components = pods.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

return pods
