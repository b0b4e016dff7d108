-- What the API server of the member allocates, which cannot change.
local allocated = { "clusterIP", "clusterIPs", "healthCheckNodePort" }

-- What it fills in where the desired Service has none.
local defaulted = { "ipFamilies", "ipFamilyPolicy" }

local function hasNodePorts(spec)
  return spec.type == "NodePort" or spec.type == "LoadBalancer" and spec.allocateLoadBalancerNodePorts ~= false
end

-- A port without a node port keeps that of the member's port of its name, unless another
-- port asks for the same one, as the API server has it (Kubernetes 1.36,
-- registry/core/service, patchAllocatedValues).
local function keepNodePorts(ports, observed)
  local there, taken = {}, {}
  for _, port in ipairs(observed) do
    there[port.name or ""] = port.nodePort
  end
  for _, port in ipairs(ports) do
    taken[port.nodePort or 0] = true
  end
  for _, port in ipairs(ports) do
    local kept = there[port.name or ""]
    if not port.nodePort and kept and not taken[kept] then
      port.nodePort = kept
    end
  end
end

-- The pods of one revision, which Argo Rollouts selects (argo-rollouts, service/service.go); it
-- removes that itself.
local revision = "rollouts-pod-template-hash"

local function keepRevision(spec, own)
  local there = kube.get(own, { "selector", revision })
  if spec.selector and there then
    spec.selector[revision] = there
  end
end

function Retain(desired, observed)
  local spec, own = desired.spec or {}, kube.get(observed, "spec", {})
  for _, field in ipairs(allocated) do
    spec[field] = own[field] or spec[field]
  end
  for _, field in ipairs(defaulted) do
    spec[field] = spec[field] or own[field]
  end
  keepRevision(spec, own)
  if hasNodePorts(spec) then
    keepNodePorts(spec.ports or {}, own.ports or {})
  end
  desired.spec = spec
  return desired
end
