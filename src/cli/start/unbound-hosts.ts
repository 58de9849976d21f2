/** What an operator is told where `isOpenToAnyHost`. */
export const UNBOUND_HOSTS =
  'BYWAY_REGION_HOSTS is set and BYWAY_HOSTS is not: a request whose Host a proxy has replaced is served without the ' +
  'rules of its region; name the other hosts of the gateway in BYWAY_HOSTS';
