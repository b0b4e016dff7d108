-- The value that the webhook of Kruise writes where there is no limit.
local unlimited = 2147483647

-- How many pods of a BroadcastJob run at a time, by its spec. It is 1 where this is left to
-- the number of nodes: without a limit, or with a share such as "50%".
return function(spec)
  local limit = spec and spec.parallelism
  return type(limit) == "number" and limit < unlimited and limit or 1
end
