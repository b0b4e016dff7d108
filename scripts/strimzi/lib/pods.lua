-- The pods that Strimzi runs for a Kafka or a KafkaNodePool.

local pods = {}

-- A pod: what its containers ask for, and what the template in spec says of its place.
local function template(spec, containers)
  local pod = kube.get(spec, "template.pod", {})
  local list = kube.list()
  for _, resources in ipairs(containers) do
    table.insert(list, { resources = resources })
  end
  return { spec = {
    containers = list,
    affinity = pod.affinity,
    tolerations = pod.tolerations,
    priorityClassName = pod.priorityClassName,
  } }
end

local function annotation(obj, name)
  return kube.get(obj, { "metadata", "annotations", name })
end

-- The components of a Kafka. Its nodes are those of node pools, but for a Kafka of v1beta2
-- without the annotation (Strimzi before 0.46).
function pods.ofKafka(obj)
  local spec, all = obj.spec or {}, kube.list()

  local function add(name, part, replicas, containers)
    if part then
      table.insert(all, kube.component(name, replicas, template(part, containers or { part.resources or {} })))
    end
  end

  local kafka = spec.kafka or {}
  if kafka.replicas and annotation(obj, "strimzi.io/node-pools") ~= "enabled" then
    add("kafka", kafka, kafka.replicas)
  end
  if annotation(obj, "strimzi.io/kraft") ~= "enabled" then
    add("zookeeper", spec.zookeeper, kube.get(spec, "zookeeper.replicas"))
  end
  local operators = spec.entityOperator or {}
  local topic, user = operators.topicOperator, operators.userOperator
  if topic or user then
    local containers = kube.concat({ topic and topic.resources }, { user and user.resources })
    add("entity-operator", operators, 1, containers)
  end
  add("cruise-control", spec.cruiseControl, 1)
  add("kafka-exporter", spec.kafkaExporter, 1)
  return all
end

function pods.ofPool(obj)
  local spec = obj.spec or {}
  return { kube.component("node", spec.replicas, template(spec, { spec.resources or {} })) }
end

local function sum(components)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

function pods.sumOfKafka(obj)
  return sum(pods.ofKafka(obj))
end

function pods.sumOfPool(obj)
  return sum(pods.ofPool(obj))
end

return pods
