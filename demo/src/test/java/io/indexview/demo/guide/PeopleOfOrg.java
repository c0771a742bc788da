package io.indexview.demo.guide;

import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import java.util.ArrayList;
import java.util.List;

/** Prints the keys of all people of an organization: {@code PeopleOfOrg STORE ORG}. */
public final class PeopleOfOrg {
  private PeopleOfOrg() {}

  public static void main(String[] args) {
    try (KvStore store = KvStores.open(args[0])) {
      keys(store, args[1]).forEach(System.out::println);
    }
  }

  /** Page by page, until there is no next one. */
  public static List<String> keys(KvStore store, String org) {
    IndexViewReader reader =
        IndexViewReaders.of(store, ReaderConfig.of(PageTokens.ofThisProcess()));
    ViewQuery query = ViewQuery.of("people-by-org").where("org", org).withLimit(50);
    List<String> keys = new ArrayList<>();
    RowPage page = reader.read(query);
    page.rows().forEach(row -> keys.add(row.primaryKey()));
    while (page.next() != null) {
      page = reader.read(query.from(page.next()));
      page.rows().forEach(row -> keys.add(row.primaryKey()));
    }
    return keys;
  }
}
