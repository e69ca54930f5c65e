//! Projects of the index as they are sent (interface: Project).

use super::values::{Json, json_rows, one};
use super::{Conn, Error, accounts, contacts, signals};
use crate::domain::ProjectId;

/// The fields that every read of a project has, as pairs for `json_object`; the project is `p`. Thirty days are counted back
/// from the moment that the queues are as of, which is never long ago.
macro_rules! common {
    () => {
        "'id', uuid(p.id), 'name', p.name, 'primary_address', p.primary_address, 'city', p.city,
         'state', p.state, 'neighborhood', p.neighborhood, 'primary_use', p.primary_use, 'uses', json(p.uses), 'stage', p.stage,
         'disposition', p.disposition, 'gross_floor_area_sf', p.gross_floor_area_sf, 'residential_units', p.residential_units,
         'cost_of_construction_usd', p.cost_of_construction_usd, 'stories', p.stories, 'parking_spaces', p.parking_spaces,
         'gc_status', p.gc_status, 'height_ft', p.height_ft, 'hotel_rooms', p.hotel_rooms, 'affordable_units', p.affordable_units,
         'land_area_sf', p.land_area_sf, 'unit_mix', json(p.unit_mix), 'use_areas', json(p.use_areas),
         'structure_types', json(p.structure_types), 'regulatory_flags', json(p.regulatory_flags), 'far', json(p.far),
         'updates_last_30_days', (SELECT count(*) FROM signals u WHERE u.project_id = p.id AND u.filed_at >
           (SELECT value FROM remembered WHERE name = 'queue_as_of') - 2592000000),
         'created_at', moment(p.created_at),
         'accounts_count', (SELECT count(DISTINCT l.account_id) FROM project_accounts l WHERE l.project_id = p.id),
         'contacts_count', (SELECT count(*) FROM project_contacts l WHERE l.project_id = p.id)"
    };
}

/// The fields of a Data project.
pub(super) const FIELDS: &str = concat!(
    common!(),
    ", 'lat', p.lat, 'lng', p.lng, 'first_signal_at', day(p.first_signal_at), 'last_signal_at', day(p.last_signal_at),
     'signals_count', p.signals_count"
);

/// The fields of a project of the book, without its annotations.
pub(super) const BOOK_FIELDS: &str = concat!(common!(), ", 'last_signal_at', moment(p.last_signal_at)");

/// A project of the index.
///
/// # Errors
/// When the database refuses.
pub fn get(conn: &Conn, id: ProjectId) -> Result<Option<Json>, Error> {
    one(conn, &format!("SELECT json_object({FIELDS}) FROM projects p WHERE p.id = ?1"), [id.0])
}

/// The accounts on a project, each with its roles in it.
///
/// # Errors
/// When the database refuses.
pub fn accounts(conn: &Conn, id: ProjectId) -> Result<Vec<Json>, Error> {
    let fields = accounts::FIELDS;
    let sql = format!(
        "SELECT json_object({fields}, 'roles', json_group_array(r.role)) FROM project_accounts r JOIN accounts a ON a.id = r.account_id
         WHERE r.project_id = ?1 GROUP BY a.id ORDER BY a.name, a.id"
    );
    json_rows(conn, &sql, [id.0])
}

/// The contacts on a project.
///
/// # Errors
/// When the database refuses.
pub fn contacts(conn: &Conn, id: ProjectId) -> Result<Vec<Json>, Error> {
    let fields = contacts::FIELDS;
    let sql = format!(
        "SELECT json_object({fields}) FROM project_contacts l JOIN contacts c ON c.id = l.contact_id
         WHERE l.project_id = ?1 ORDER BY c.name, c.id"
    );
    json_rows(conn, &sql, [id.0])
}

/// The signals of a project, newest filing first.
///
/// # Errors
/// When the database refuses.
pub fn signals(conn: &Conn, id: ProjectId) -> Result<Vec<Json>, Error> {
    let sql = format!(
        "SELECT json_object({}) FROM {} WHERE s.project_id = ?1 ORDER BY s.filed_at DESC, s.id",
        signals::FIELDS,
        signals::FROM
    );
    json_rows(conn, &sql, [id.0])
}
