//! Which route of the interface a request is for.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::collections::BTreeSet;

use gantry::service::routes;

/// All routes, as `GET /signals/{id}`.
pub fn all_routes() -> BTreeSet<String> {
    routes()
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect()
}

/// The route of a request, given as `GET /signals/018f..` with or without its query: the most
/// specific match.
pub fn route_of(request: &str) -> Option<String> {
    let (method, path) = request.split_once(' ')?;
    let path = path.split('?').next()?.trim_start_matches("/api/v1");
    let fits = |route: &&String| {
        let (of, template) = route.split_once(' ').unwrap_or_default();
        let (parts, given) = (template.split('/'), path.split('/'));
        of == method
            && parts.clone().count() == given.clone().count()
            && parts
                .zip(given)
                .all(|(part, given)| part == given || part.starts_with('{'))
    };
    let all = all_routes();
    all.iter()
        .filter(fits)
        .min_by_key(|route| route.matches('{').count())
        .cloned()
}
