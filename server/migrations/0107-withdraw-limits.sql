-- Limits of a withdrawal are of a currency: what an operator has set was meant for baht, kip begin with the demonstration's.
update site_setting
   set value = jsonb_build_object(
         'BAHT', jsonb_build_object('min', value -> 'withdrawMin', 'max', value -> 'withdrawMax'),
         'LAK', jsonb_build_object('min', '50000.00', 'max', '25000000.00'))
 where name = 'withdraw' and value ? 'withdrawMin' and value ? 'withdrawMax';
