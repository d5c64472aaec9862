-- A bank's feed names a bill payment by its reference alone, without the gateway.
create index qrcode_by_reference on qrcode (reference);
