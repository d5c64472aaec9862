-- One name for one concept, as in docs/glossary.md. Older programs use the former names, so all nodes stop.

-- Inquiries
alter table transfer_leg rename column asks to inquiries;
alter table transfer_leg rename column next_ask_at to next_inquiry_at;
alter table transfer_leg rename column is_asked_again to is_inquiry_requested;
alter table transfer_leg rename column ft_wallet_slot to credits_per_unit;
alter table withdraw rename column asks to inquiries;
alter table withdraw rename column next_ask_at to next_inquiry_at;
alter table withdraw rename column is_woken to is_inquiry_requested;
alter table truelink_gift rename column asks to inquiries;
alter table qrcode rename column asked_at to inquired_at;

-- Games
alter table game rename column ft_wallet_slot to credits_per_unit;
alter table game rename constraint game_multiplier to game_credits_per_unit;

-- Chat
alter table chat_conversation rename column told_sequence to forwarded_sequence;
alter table chat_conversation rename column tell_at to forward_at;
alter table chat_conversation rename column tell_tries to forward_tries;
alter table chat_conversation rename constraint chat_conversation_told to chat_conversation_forwarded;
alter index chat_conversation_tell rename to chat_conversation_forward;

-- Deposits. A house account of null: any.
alter table deposit_notice rename column house to house_account;
alter table deposit_notice rename constraint deposit_notice_amount to deposit_announcement_amount;
alter table deposit_notice rename constraint deposit_notice_arrival_exists to deposit_announcement_arrival_exists;
alter table deposit_notice rename constraint deposit_notice_ended to deposit_announcement_ended;
alter table deposit_notice rename constraint deposit_notice_found to deposit_announcement_found;
alter table deposit_notice rename constraint deposit_notice_late to deposit_announcement_late;
alter table deposit_notice rename constraint deposit_notice_life to deposit_announcement_life;
alter table deposit_notice rename constraint deposit_notice_member_exists to deposit_announcement_member_exists;
alter table deposit_notice rename constraint deposit_notice_pkey to deposit_announcement_pkey;
alter table deposit_notice rename constraint deposit_notice_reference to deposit_announcement_reference;
alter table deposit_notice rename constraint deposit_notice_state to deposit_announcement_state;
alter index deposit_notice_amount_sought rename to deposit_announcement_amount_sought;
alter index deposit_notice_member rename to deposit_announcement_member;
alter index deposit_notice_open rename to deposit_announcement_open;
alter index deposit_notice_pending rename to deposit_announcement_pending;
alter table deposit_notice rename to deposit_announcement;
alter table deposit_announcement alter column house_account drop not null;
update deposit_announcement set house_account = null where house_account = '';
alter table deposit_notice_request rename column notice_id to announcement_id;
alter table deposit_notice_request rename constraint deposit_notice_request_key to deposit_announcement_request_key;
alter table deposit_notice_request rename constraint deposit_notice_request_member_exists to deposit_announcement_request_member_exists;
alter table deposit_notice_request rename constraint deposit_notice_request_notice_exists to deposit_announcement_request_announcement_exists;
alter table deposit_notice_request rename to deposit_announcement_request;
alter table deposit_reserved_amount rename column notice_id to announcement_id;
alter table deposit_reserved_amount rename constraint deposit_reserved_amount_notice_exists to deposit_reserved_amount_announcement_exists;
alter index deposit_reserved_amount_notice rename to deposit_reserved_amount_announcement;
alter table deposit_arrival rename column house to house_account;
alter table deposit_arrival rename column debit_house to debit_house_account;
alter table deposit_way_stat rename column way to method;
alter table deposit_way_stat rename constraint deposit_way_stat_counts to deposit_method_stat_counts;
alter table deposit_way_stat rename constraint deposit_way_stat_once to deposit_method_stat_once;
alter table deposit_way_stat rename to deposit_method_stat;

-- Operator data
alter trigger lookup_changed on deposit_account rename to operator_data_changed;
alter trigger lookup_changed on deposit_wallet_app rename to operator_data_changed;
alter trigger lookup_changed on game rename to operator_data_changed;
alter trigger lookup_changed on lookup_address_rule rename to operator_data_changed;
alter trigger lookup_changed on lookup_bank rename to operator_data_changed;
alter trigger lookup_changed on lookup_banner rename to operator_data_changed;
alter trigger lookup_changed on lookup_limit rename to operator_data_changed;
alter trigger lookup_changed on lookup_setting rename to operator_data_changed;
alter trigger lookup_changed on lookup_source rename to operator_data_changed;
alter trigger lookup_changed on lookup_switch rename to operator_data_changed;
alter trigger lookup_changed on lookup_text rename to operator_data_changed;
alter function lookup_changed() rename to operator_data_changed;
alter table lookup_address_rule rename constraint lookup_address_rule_pkey to operator_data_address_rule_pkey;
alter table lookup_address_rule rename constraint lookup_address_rule_verdict to operator_data_address_rule_verdict;
alter table lookup_address_rule rename to operator_data_address_rule;
alter table lookup_bank rename constraint lookup_bank_code to operator_data_bank_code;
alter table lookup_bank rename constraint lookup_bank_country to operator_data_bank_country;
alter table lookup_bank rename constraint lookup_bank_digits to operator_data_bank_digits;
alter table lookup_bank rename constraint lookup_bank_number to operator_data_bank_number;
alter table lookup_bank rename constraint lookup_bank_pkey to operator_data_bank_pkey;
alter table lookup_bank rename to operator_data_bank;
alter table lookup_banner rename constraint lookup_banner_kind to operator_data_banner_kind;
alter table lookup_banner rename constraint lookup_banner_pkey to operator_data_banner_pkey;
alter table lookup_banner rename to operator_data_banner;
alter table lookup_limit rename constraint lookup_limit_pkey to operator_data_limit_pkey;
alter table lookup_limit rename constraint lookup_limit_positive to operator_data_limit_positive;
alter table lookup_limit rename to operator_data_limit;
alter table lookup_seeded rename constraint lookup_seeded_pkey to operator_data_seeded_pkey;
alter table lookup_seeded rename to operator_data_seeded;
alter table lookup_setting rename constraint lookup_setting_pkey to operator_data_setting_pkey;
alter table lookup_setting rename to operator_data_setting;
alter table lookup_source rename constraint lookup_source_code to operator_data_source_code;
alter table lookup_source rename constraint lookup_source_pkey to operator_data_source_pkey;
alter table lookup_source rename to operator_data_source;
alter table lookup_switch rename constraint lookup_switch_name to operator_data_switch_name;
alter table lookup_switch rename constraint lookup_switch_pkey to operator_data_switch_pkey;
alter table lookup_switch rename to operator_data_switch;
alter table lookup_text rename constraint lookup_text_kind to operator_data_text_kind;
alter table lookup_text rename constraint lookup_text_pkey to operator_data_text_pkey;
alter table lookup_text rename to operator_data_text;
alter table lookup_version rename constraint lookup_version_only_row to operator_data_version_only_row;
alter table lookup_version rename constraint lookup_version_pkey to operator_data_version_pkey;
alter table lookup_version rename to operator_data_version;
