-- With this annotation each member allocates node ports by itself, whoever has chosen those of
-- the template.
local choice = { "metadata", "annotations", "propagation.dragoman.io/node-ports" }

-- The address that the control plane allocated is taken out; in a member it may be taken, or
-- outside of the range. A headless Service stays one.
function PruneTemplate(template)
  local spec = template.spec
  if not spec then
    return template
  end
  if spec.clusterIP ~= "None" then
    spec.clusterIP, spec.clusterIPs = nil, nil
  end
  if kube.get(template, choice) == "member" then
    spec.healthCheckNodePort = nil
    for _, port in ipairs(spec.ports or {}) do
      port.nodePort = nil
    end
  end
  return template
end
