//! What the OpenAPI document says beside the routes.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, Info, License, OpenApi, OpenApiBuilder, SecurityRequirement};

const DESCRIPTION: &str = "\
A memory engine for long-running AI agents. Whose memory a request is about stands in its URL: `user`, `agent`, `session`, `task`; the \
tenant is the key's. Errors are `application/problem+json` with a stable `code`. Bodies that are not understood whole are refused whole.";

pub fn document() -> OpenApi {
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key: `holdfast key create`"))
        .build();
    let mut info = Info::new("Holdfast", env!("CARGO_PKG_VERSION"));
    info.description = Some(DESCRIPTION.to_owned());
    info.license = Some(License::new(env!("CARGO_PKG_LICENSE")));
    OpenApiBuilder::new()
        .info(info)
        .components(Some(ComponentsBuilder::new().security_scheme("key", SecurityScheme::Http(key)).build()))
        // None at all will do as well, while there are no keys.
        .security(Some([SecurityRequirement::new("key", [""; 0]), SecurityRequirement::default()]))
        .build()
}
