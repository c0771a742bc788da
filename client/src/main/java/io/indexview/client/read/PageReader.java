package io.indexview.client.read;

import io.indexview.client.read.PageTokens.PagePosition;
import io.indexview.client.read.ReadOptions.Consistency;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.layout.StoredRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/** Reads one page of one generation. */
final class PageReader {
  private final ServingGeneration serving;
  private final ViewRows rows;
  private final ViewGeneration generation;
  private final ViewQuery query;
  private final ReaderConfig config;
  private final ReadOptions options;
  private final KeyQuery keyQuery;

  /**
   * @throws InvalidQueryException if the query does not fit the generation, or the options do not
   *     fit the query
   */
  PageReader(ServingGeneration serving, ViewQuery query, ReaderConfig config, ReadOptions options) {
    this.serving = serving;
    this.rows = serving.rows();
    this.generation = serving.generation();
    this.query = query;
    this.config = config;
    this.options = options;
    this.keyQuery = QueryResolver.resolve(query, fields(), config.maxLimit());
    requireOptions();
  }

  private List<KeyField> fields() {
    try {
      return rows.fields(query.index());
    } catch (IllegalArgumentException e) {
      throw new InvalidQueryException(query.view(), List.of(e.getMessage()));
    }
  }

  private void requireOptions() {
    List<String> problems = new ArrayList<>();
    boolean indexed = query.index() != null;
    if (indexed && options.consistency() == Consistency.ABSOLUTE) {
      problems.add(
          "consistency ABSOLUTE: index \"%s\" follows its table, DynamoDB reads it no other way"
              .formatted(query.index()));
    }
    if (options.atLeast().isPresent()) {
      if (indexed) {
        problems.add(
            "atLeast: index \"%s\" follows its table, so it may lack the write; read by the key"
                .formatted(query.index()));
      }
      if (options.consistency() == Consistency.EVENTUAL) {
        problems.add("atLeast: a replica may lack the write; leave consistency EVENTUAL out");
      }
      if (config.freshness().isEmpty()) {
        problems.add("atLeast: this reader was made without a FreshnessGate");
      }
    }
    if (options.maxStaleness().isPresent() && !tellsFreshness()) {
      problems.add(
          "maxStaleness: what an index or a replica holds may be older than what the sink has written; read by the key, and leave consistency EVENTUAL out");
    }
    if (options.fetch() && config.records().isEmpty()) {
      problems.add("fetch: this reader was made without PrimaryRecords");
    }
    if (!problems.isEmpty()) {
      throw new InvalidQueryException(query.view(), problems);
    }
  }

  /** Whether a page has everything that the sink had written. */
  private boolean tellsFreshness() {
    return query.index() == null && absolute();
  }

  /** Text of the query, see {@link PagePosition#of}. */
  String text() {
    return serving.digest() + (query.index() == null ? "" : query.index()) + keyQuery.text();
  }

  private boolean absolute() {
    return options.consistency() != Consistency.EVENTUAL;
  }

  FoundRows read(Optional<PagePosition> position) {
    return rows.read(
        new RowRequest(
            keyQuery,
            query.index(),
            position.map(PagePosition::after).orElse(null),
            query.limit(),
            config.maxPageBytes(),
            absolute()));
  }

  /**
   * The page of what {@link #read} gave.
   *
   * @param position that it was given
   */
  RowPage page(
      FoundRows found,
      Optional<PagePosition> position,
      String source,
      ViewState.State state,
      String reason,
      Instant asOf,
      Optional<Instant> visibleBefore) {
    List<RowPage.Row> page = new ArrayList<>(found.rows().size());
    int read = found.rows().size();
    RowPage.LeftOut leftOut = RowPage.LeftOut.NONE;
    if (options.fetch()) {
      CompiledView view = serving.takeCompiled();
      try {
        RecordMatcher matcher =
            new RecordMatcher(view, config.records().orElseThrow(), keyQuery, absolute());
        read = fetch(found.rows(), matcher, page);
        leftOut = matcher.leftOut();
      } finally {
        serving.giveBack(view);
      }
    } else {
      for (StoredRow row : found.rows()) {
        page.add(row(row, Optional.empty()));
      }
    }
    return new RowPage(
        page,
        token(found.next(read), position, source),
        generation.number(),
        state,
        reason,
        asOf,
        tellsFreshness() ? visibleBefore : Optional.empty(),
        leftOut);
  }

  /**
   * Token of the page behind.
   *
   * @param last null: there is none
   */
  private String token(Map<String, Object> last, Optional<PagePosition> position, String source) {
    if (last == null) {
      return null;
    }
    return config
        .pageTokens()
        .write(
            position.isPresent()
                ? position.get().further(last)
                : PagePosition.of(source, generation.number(), text(), last));
  }

  /** Adds rows with their records until these fill the page; returns how many were looked at. */
  private int fetch(List<StoredRow> found, RecordMatcher matcher, List<RowPage.Row> page) {
    int read = 0;
    while (read < found.size() && matcher.bytes() < config.maxPageBytes()) {
      StoredRow row = found.get(read);
      matcher.fetch(row).ifPresent(record -> page.add(row(row, Optional.of(record))));
      read++;
    }
    return read;
  }

  private static RowPage.Row row(StoredRow row, Optional<GenericRecord> record) {
    return new RowPage.Row(row.key(), row.primaryKey(), row.values(), row.revision(), record);
  }
}
