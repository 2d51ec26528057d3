//! What the OpenAPI document says beside the routes.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Info, License, OpenApi, OpenApiBuilder, PathItem, Ref, RefOr, ResponseBuilder,
    Schema, SecurityRequirement, schema::AdditionalProperties,
};
use utoipa::{PartialSchema, ToSchema};

use super::problem::Details;
use crate::wire::requests;

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

/// What the macros don't say: an action has no fields but its own, and every route may fail like every other.
pub fn finished(mut document: OpenApi) -> OpenApi {
    let name = Details::name();
    let schema = Ref::from_schema_name(name.clone());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description("Not done: the code says why, and the detail what to do")
        .content("application/problem+json", content)
        .build();
    let components = document.components.get_or_insert_default();
    components.schemas.insert(name.into_owned(), Details::schema());
    if let Some(RefOr::T(Schema::OneOf(actions))) = components.schemas.get_mut(requests::Action::name().as_ref()) {
        for action in &mut actions.items {
            if let RefOr::T(Schema::Object(action)) = action {
                action.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            }
        }
    }
    for path in document.paths.paths.values_mut() {
        let PathItem { get, put, post, delete, patch, .. } = path;
        for operation in [get, put, post, delete, patch].into_iter().flatten() {
            operation.responses.responses.insert("default".to_owned(), response.clone().into());
        }
    }
    document
}
