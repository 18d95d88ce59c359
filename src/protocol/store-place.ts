// Where the store of a gateway is.

export type StorePlace = FilePlace | DatabasePlace;

/** The place of a gateway, which has a name among those that share a database. */
export type GatewayStorePlace = FilePlace | (DatabasePlace & { readonly node: string });

interface FilePlace {
  readonly kind: 'sqlite';
  readonly file: string;
}

interface DatabasePlace {
  readonly kind: 'postgres';
  /** It may hold a password, so it is never shown. */
  readonly url: string;
  /** The schema that the tables are in; by default `atrium`. */
  readonly schema?: string | undefined;
}
