-- Where a PyTorchJob writes its checkpoints, and how its program learns to resume from
-- them. The annotations and parameters are defined in the README.

local checkpoint = {}

local key, restored = "kubeflow.org/checkpoint-path", "kubeflow.org/restored-from"

local resumeArgument = "kubeflow.org/resume-argument"

-- Finds an argument, "--name value" or "--name=value": the place in the list that holds
-- its value, the value, and what stands before it there. Nothing where it is not there.
local function find(list, name)
  for i, text in ipairs(list or {}) do
    if text == name then
      return i + 1, list[i + 1], ""
    end
    if string.sub(text, 1, #name + 1) == name .. "=" then
      return i, string.sub(text, #name + 2), name .. "="
    end
  end
end

local function annotation(obj, name)
  return kube.get(obj, { "metadata", "annotations", name })
end

-- Calls visit with each container in which the operator runs the program.
local function programs(obj, visit)
  for _, spec in pairs(kube.get(obj, "spec.pytorchReplicaSpecs", {})) do
    for _, container in ipairs(kube.get(spec, "template.spec.containers", {})) do
      if container.name == "pytorch" then
        visit(container)
      end
    end
  end
end

-- The path that the job names: by the annotation, or else by an argument.
local function named(obj)
  local path = annotation(obj, key)
  if path then
    return path
  end
  programs(obj, function(container)
    local _, value = find(kube.concat(container.command, container.args), params.checkpointArgument)
    path = path or value
  end)
  return path
end

local function setVariable(container, name, value)
  container.env = container.env or kube.list()
  for _, variable in ipairs(container.env) do
    if variable.name == name then
      variable.value, variable.valueFrom = value, nil
      return
    end
  end
  table.insert(container.env, { name = name, value = value })
end

-- A program may have its arguments behind its name in command; new ones go to args.
local function setArgument(container, name, value)
  for _, list in ipairs({ container.command or {}, container.args or {} }) do
    local i, _, prefix = find(list, name)
    if i then
      list[i] = prefix .. value
      return
    end
  end
  container.args = container.args or kube.list()
  table.insert(container.args, name .. "=" .. value)
end

-- Makes the program resume from path.
local function resume(obj, path)
  local argument = annotation(obj, resumeArgument)
  programs(obj, function(container)
    setVariable(container, params.resumeVariable, path)
    if argument then
      setArgument(container, argument, path)
    end
  end)
  obj.metadata.annotations = obj.metadata.annotations or {}
  obj.metadata.annotations[restored] = path
  return obj
end

function checkpoint.state(obj)
  local path = named(obj)
  return path and { [key] = path }
end

function checkpoint.restore(desired, state)
  local path = state[key]
  return path and resume(desired, path) or desired
end

-- A job that resumes from a checkpoint keeps its path, unless the template names another
-- one: pods that the operator restarts must not start over.
function checkpoint.retain(desired, observed)
  local path = annotation(observed, restored)
  if path and (annotation(desired, restored) or path) == path then
    return resume(desired, path)
  end
  return desired
end

return checkpoint
