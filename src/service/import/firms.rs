//! Firms and people: how the names in a row become accounts and contacts of its project.

use uuid::Uuid;

use super::columns::{self, FirmColumns, PermitRow};
use super::firm_cell;
use super::import_run::ImportRun;
use super::permit_signals::PermitSignals;
use super::{ImportError, list_cell, values};
use crate::domain::{ContactId, ProjectId};
use crate::service::db::index_write;
use crate::service::db::new_records::{NewAccount, NewContact};

/// A name in a column of firms.
struct NamedFirm<'c> {
    columns: &'c FirmColumns,
    name: String,
    phone: Option<String>,
    email: Option<String>,
}

impl<'c> ImportRun<'c> {
    /// The names in a row's column of firms, with what stands beside them.
    fn names_in(
        &mut self,
        named: &'c FirmColumns,
        row: &impl PermitRow,
        line: u64,
    ) -> Vec<NamedFirm<'c>> {
        let mut names: Vec<NamedFirm<'c>> = Vec::new();
        for listed in list_cell::names_in(row.get(&named.name)) {
            let is_list = named.fixed_kind.is_some();
            let parts = listed
                .name
                .split(|c: char| is_list && [';', '|'].contains(&c))
                .flat_map(firm_cell::split_firms);
            for part in parts {
                let without_address = firm_cell::cut_address(part);
                let mut is_cut = without_address.is_some();
                let mut is_first = true;
                for text in without_address.unwrap_or(part).lines() {
                    let mut cell = firm_cell::split_firm(text);
                    if !is_first && firm_cell::is_beside_name(cell.name) {
                        (cell.name, cell.is_cut) = ("", true);
                    }
                    is_cut |= cell.is_cut;
                    let phone = cell.phone.and_then(values::format_phone);
                    let phone = phone.or_else(|| listed.phone.clone());
                    let email = cell.email.map(str::to_owned);
                    let email = email.or_else(|| listed.email.clone());
                    // a line below a name has its phone, its e-mail address or its license
                    match names
                        .last_mut()
                        .filter(|_| cell.name.is_empty() && !is_first)
                    {
                        Some(above) => {
                            above.phone = above.phone.take().or(phone);
                            above.email = above.email.take().or(email);
                        }
                        None => names.push(NamedFirm {
                            columns: named,
                            name: cell.name.to_owned(),
                            phone,
                            email,
                        }),
                    }
                    is_first = false;
                }
                if is_cut {
                    let what = "a license, an address or a person beside a name, left out";
                    self.report.add_remark(what, line, part);
                }
            }
        }
        names
    }

    /// Imports the firms and people named in a row.
    pub(super) fn import_firms_and_people(
        &mut self,
        row: &impl PermitRow,
        project: ProjectId,
        found: &PermitSignals,
        line: u64,
    ) -> Result<(), ImportError> {
        let Some(since) = found.signals.iter().map(|(_, day)| *day).min() else {
            return Ok(());
        };
        let firms = self.columns.firms.iter();
        let names: Vec<_> = firms
            .flat_map(|named| self.names_in(named, row, line))
            .collect();
        for firm in names {
            let (named, name) = (firm.columns, firm.name.as_str());
            if values::is_no_firm(name) {
                continue;
            }
            let Some((kind, person)) =
                columns::firm_kind(self.layout, named, row.get(&named.kind), name)
            else {
                self.report.add_remark(
                    "a firm of a kind unknown to the layout, ignored",
                    line,
                    row.get(&named.kind),
                );
                continue;
            };
            let title = self.layout.title_case;
            let some =
                |text: &str| Some(values::clean_text(text, title)).filter(|text| !text.is_empty());
            let phone = values::format_phone(row.get(&named.phone)).or(firm.phone);
            let email = Some(row.get(&named.email).to_owned()).filter(|email| email.contains('@'));
            let email = email.or(firm.email);
            if person {
                let written = if kind.last_first {
                    values::first_name_first(name)
                } else {
                    name.to_owned()
                };
                let contact = NewContact {
                    id: self
                        .layout
                        .stable_id::<ContactId>("person", &values::name_key(&written)),
                    name: values::clean_text(&written, title),
                    title: kind.title.clone(),
                    account_id: None,
                    email,
                    phone,
                    created_at: since,
                };
                let is_reachable = contact.phone.is_some() || contact.email.is_some();
                if is_reachable || !self.recent_ids.contains(&contact.id.0) {
                    let made = self.merger.merge_contact(&contact)?;
                    self.remember_id(contact.id.0);
                    self.report.contacts.add(made);
                }
                index_write::link_contact(self.merger.conn, project, contact.id)?;
            } else {
                let address = [
                    row.get(&named.address),
                    row.get(&named.zip).trim_end_matches('-'),
                ];
                let street = some(address[0]);
                let city = some(row.get(&named.city));
                let state =
                    Some(row.get(&named.state).to_uppercase()).filter(|state| state.len() == 2);
                let hq_address = street.map(|street| {
                    let town = [city.as_deref(), state.as_deref()]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join(", ");
                    format!("{street}, {town} {}", address[1])
                        .trim_end_matches([' ', ','])
                        .to_owned()
                });
                let account = NewAccount {
                    id: self.layout.stable_id("firm", &values::name_key(name)),
                    name: values::clean_text(name, title),
                    account_types: kind.roles.clone(),
                    city,
                    state,
                    hq_address,
                    public_phone: phone,
                    public_email: email,
                    account_types_source: Some("permits".to_owned()),
                    created_at: since,
                    ..NewAccount::default()
                };
                let made = self.merger.merge_account(&account)?;
                self.report.accounts.add(made);
                for role in &kind.roles {
                    self.merger.link_account(project, account.id, role)?;
                }
            }
        }
        Ok(())
    }

    fn remember_id(&mut self, id: Uuid) {
        if self.recent_ids.len() >= 20_000 {
            self.recent_ids.clear();
        }
        self.recent_ids.insert(id);
    }
}
