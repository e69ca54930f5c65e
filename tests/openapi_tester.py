"""Writes the tester's copy of the description: OUT READY WHO DESCRIPTION.

The tester knows nothing but the description, and of random ids a service knows none. So the copy names the tester's own
workspace, and some records that are there beside one that is not. Nothing else differs.
"""

import json
import re
import sys
import urllib.request

import yaml

out, ready, who, path = sys.argv[1:]
ready, description = json.load(open(ready)), yaml.safe_load(open(path))
mine = ready["workspaces"][0]
secret = mine["members"][0]["access_token"] if who == "user" else mine["api_keys"][0]["key"]
NOWHERE = "00000000-0000-4000-8000-000000000000"


def ask(path, body=None):
    url = f"{ready['base_url']}{path}{'&' if '?' in path else '?'}workspace_id={mine['id']}"
    request = urllib.request.Request(url, body and json.dumps(body).encode(), {"Authorization": f"Bearer {secret}"})
    return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request))


def one_of(found):
    """An id: one of these, or any other, as the tester finds new ones in answers."""
    return {"anyOf": [{"type": "string", "format": "uuid", "enum": found}, {"type": "string", "format": "uuid"}]}


def ids(rows):
    return [row["id"] for row in rows[:4]] + [NOWHERE]


known = {f"/data/{w}/": ids(ask(f"/data/{w}/search", {"limit": 4})["data"]) for w in ("accounts", "contacts", "projects", "signals")}
known |= {f"/workspace/{w}/": ids(ask(f"/workspace/{w}/search", {"limit": 4})["data"]) for w in ("accounts", "contacts", "projects")}
views, skills = ask("/workspace/views")["data"]["views"], ask("/workspace/skills/list", {})["data"]["skills"]
members = ids(ask("/workspace/members")["data"]["members"])
queue = [signal["id"] for signal in ask("/signals/queue?limit=4")["signals"]]
known |= {
    "/workspace/views/": [view["id"] for view in views] + [NOWHERE],
    "/workspace/favorite-views/": [view["id"] for view in views] + [NOWHERE],
    "/workspace/members/": members,
    "/workspace/invitations/": ids(ask("/workspace/invitations")["data"]["invitations"]),
    "/workspace/walls/": [NOWHERE],  # a new service has none
    "/workspace/signal-subscriptions/": ids(ask("/workspace/signal-subscriptions")["data"]["subscriptions"]),
    "/signals/": queue + [NOWHERE],
}
fields = {
    "account_id": known["/data/accounts/"],
    "contact_id": known["/data/contacts/"],
    "project_id": known["/data/projects/"],
    "record_id": known["/data/accounts/"],
    "view_id": known["/workspace/views/"],
    "skill_id": [skill["id"] for skill in skills] + [NOWHERE],
    "user_id": members,
    "recipient_user_ids": members[:1],  # the last owner stays, whatever is removed
    "signal_ids": queue + [NOWHERE],
}


def name(schema):
    """Writes the ids that are there into the schemas of a request."""
    for key, part in schema.get("properties", {}).items():
        part = part.get("items", part)
        if key in fields and part.get("format") == "uuid":
            found = {"enum": fields[key]} if key == "recipient_user_ids" else one_of(fields[key])
            part.clear()
            part.update(found)
    for part in [*filter(None, [schema.get("items")]), *schema.get("anyOf", []), *schema.get("properties", {}).values()]:
        name(part)


parts = description["components"]
parts["schemas"]["WorkspaceId"]["enum"] = [mine["id"]]
for each, schema in parts["schemas"].items():
    if re.search(r"(Upsert|Add|Triage|SubscriptionPut|Skill(Create|Update|Transfer|Move|Fork|Named|GetFile))(Batch)?$", each):
        name(schema)
    # a cursor is what a search handed out, and only with the same search
    schema.get("properties", {}).pop("search_after", None) if each.endswith("Search") else None
    schema.pop("dependentSchemas", None)
for part in parts["schemas"]["ViewSearch"]["anyOf"]:
    part["properties"].pop("search_after")
    part.pop("dependentSchemas")
for path, methods in list(description["paths"].items()):
    for operation in methods.values():
        for parameter in operation.get("parameters", []):
            target = parameter.get("$ref", "").rsplit("/", 1)[-1]
            parameter = parts["parameters"].get(target, parameter)
            if parameter["in"] == "path" and parameter["schema"].get("format") == "uuid":
                family = next(family for family in known if path.startswith(family))
                found = known["/data/accounts/"] if parameter["name"] == "recordId" else known[family]
                own = dict(parameter, schema=one_of(found))
                operation["parameters"] = [own if p.get("$ref", "").endswith(f"/{target}") and target or p is parameter else p
                                           for p in operation["parameters"]]
    if who == "key" and path.startswith("/workspace/favorite-views"):
        del description["paths"][path]  # these need a user token
if who == "user":
    for each in ("WorkspaceId", "OverridingWorkspaceId"):
        parts["parameters"][each]["required"] = True
    parts["schemas"]["FilterAsk"]["required"].append("workspace_id")
json.dump(description, open(out, "w"))
print(secret, ready["base_url"])
