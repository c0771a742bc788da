package io.indexview.client.read;

import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.poll.PollTimer;
import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.MetadataReads.Seen;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.PageTokens.PagePosition;
import io.indexview.client.read.ReadOptions.NotReady;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.MissingRowsException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.read.target.ViewRows.UnexpectedRowException;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.client.read.target.ViewTarget.UnreadableMetadataException;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads pages by metadata that is known to hold until the rows were read, or that is read once more
 * afterwards. A page during which another generation took over is read again from that one; with a
 * page token, which names one generation, it cannot be.
 */
final class CheckedReader implements IndexViewReader {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration MAX_PAUSE = Duration.ofMillis(200);
  private static final int TRIES = 5;

  private final ViewTarget target;
  private final MetadataReads reads;
  private final ReaderConfig config;

  CheckedReader(ViewTarget target, MetadataReads reads, ReaderConfig config) {
    this.target = target;
    this.reads = reads;
    this.config = config;
  }

  @Override
  public RowPage read(ViewQuery query, ReadOptions options) {
    return new Reading(query, options).page();
  }

  private Seen readMetadata(String view) {
    try {
      return reads.read(view).orElseThrow(() -> new ViewNotFoundException(view, target.views()));
    } catch (UnreadableMetadataException e) {
      throw new ViewNotReadyException(view, ViewState.State.UNKNOWN, e.getMessage());
    }
  }

  /** One call of the reader. */
  private final class Reading {
    private final ViewQuery query;
    private final ReadOptions options;
    private final Optional<PagePosition> position;
    private final PollTimer timer;
    private final PollTimer freshness;

    /** What is wrong with the rows although the state says READY. */
    private Optional<String> fault = Optional.empty();

    /** Why the rows are not known to be as fresh as was asked for. */
    private Optional<String> tooOld = Optional.empty();

    Reading(ViewQuery query, ReadOptions options) {
      this.query = query;
      this.options = options;
      this.position = Optional.ofNullable(query.pageToken()).map(config.pageTokens()::read);
      position.ifPresent(token -> token.requireSource(source()));
      Duration timeout =
          options.notReady() instanceof NotReady.Wait wait ? wait.timeout() : Duration.ZERO;
      this.timer = new PollTimer(timeout, FIRST_PAUSE, MAX_PAUSE);
      this.freshness = new PollTimer(options.timeout(), FIRST_PAUSE, MAX_PAUSE);
    }

    private String source() {
      return "view " + query.view();
    }

    RowPage page() {
      return asKnown().orElseGet(this::asSeen);
    }

    /**
     * The page by metadata that is known; empty if that is not enough, or may be of the generation
     * before.
     */
    private Optional<RowPage> asKnown() {
      Optional<Seen> known = reads.known(query.view());
      try {
        return known.flatMap(this::page).filter(found -> fault.isEmpty() && tooOld.isEmpty());
      } catch (TooManyRowsException e) {
        ViewMetadata now = readMetadata(query.view()).metadata();
        int read = known.flatMap(seen -> seen.metadata().serving()).orElseThrow().number();
        if (now.state() == ViewState.State.READY && serves(now, read)) {
          // To find that out once more costs as much as the largest page.
          throw e;
        }
        return Optional.empty();
      } catch (InvalidQueryException
          | InvalidPageTokenException
          | InvalidFreshnessTokenException
          | GenerationGoneException e) {
        return Optional.empty();
      } finally {
        fault = Optional.empty();
        tooOld = Optional.empty();
      }
    }

    private static boolean serves(ViewMetadata metadata, int generation) {
      return metadata.serving().filter(serving -> serving.number() == generation).isPresent();
    }

    private RowPage asSeen() {
      int tries = 0;
      while (true) {
        Seen before = readMetadata(query.view());
        Optional<RowPage> page = page(before);
        if (page.isPresent()) {
          return page.get();
        }
        tries++;
        boolean inVain = readable(before.metadata()).isEmpty() || tooOld.isPresent();
        if (!timer.pause() && (inVain || tries >= TRIES)) {
          throw notReady(readMetadata(query.view()).metadata());
        }
      }
    }

    private Optional<RowPage> page(Seen before) {
      return readable(before.metadata()).flatMap(generation -> page(before, generation));
    }

    private boolean stale() {
      return options.notReady() instanceof NotReady.AllowStale;
    }

    private ViewNotReadyException notReady(ViewMetadata metadata) {
      if (fault.isPresent() && metadata.state() == ViewState.State.READY) {
        return new ViewNotReadyException(query.view(), ViewState.State.DEGRADED, fault.get());
      }
      String reason = metadata.reason();
      if (tooOld.isPresent() && metadata.state() == ViewState.State.READY) {
        reason = tooOld.get();
      } else if (reason.isEmpty() && metadata.serving().isEmpty()) {
        reason = "none of its generations serves yet";
      } else if (reason.isEmpty() && metadata.state() == ViewState.State.READY) {
        reason = "it changed while it was read, again and again";
      }
      return new ViewNotReadyException(query.view(), metadata.state(), reason);
    }

    /** The generation to read; empty: not now. */
    private Optional<ViewGeneration> readable(ViewMetadata metadata) {
      if (position.isPresent()) {
        requireGeneration(metadata, position.get().generation());
      }
      boolean ready = metadata.state() == ViewState.State.READY;
      return ready || stale() ? metadata.serving() : Optional.empty();
    }

    private Optional<String> tooOld(ViewMetadata metadata, Duration max) {
      Optional<Instant> visible = visibleBefore(metadata);
      Instant oldest = config.time().instant().minus(max);
      if (visible.isPresent() && !visible.get().isBefore(oldest)) {
        return Optional.empty();
      }
      String heldBackBy = metadata.freshness().heldBackBy();
      return Optional.of(
          "it is known to have the changes before %s, and those before %s were asked for%s"
              .formatted(
                  visible.map(Instant::toString).orElse("no time"),
                  oldest,
                  heldBackBy.isEmpty() ? "" : "; held back by " + heldBackBy));
    }

    private static Optional<Instant> visibleBefore(ViewMetadata metadata) {
      OptionalLong visible = metadata.freshness().visibleBeforeMs();
      return visible.isPresent()
          ? Optional.of(Instant.ofEpochMilli(visible.getAsLong()))
          : Optional.empty();
    }

    private void requireGeneration(ViewMetadata metadata, int number) {
      if (!serves(metadata, number)) {
        throw new GenerationGoneException(query.view(), number);
      }
    }

    /** The page, if it holds what the options ask for; empty: the view changed meanwhile. */
    private Optional<RowPage> page(Seen seen, ViewGeneration generation) {
      ViewMetadata before = seen.metadata();
      PageReader reader = new PageReader(seen.serving(target), query, config, options);
      position.ifPresent(token -> token.requireQuery(reader.text()));
      tooOld = options.maxStaleness().flatMap(max -> tooOld(before, max));
      if (tooOld.isPresent() && !stale()) {
        return Optional.empty();
      }
      fault =
          options
              .atLeast()
              .flatMap(
                  token -> config.freshness().orElseThrow().await(token, before, freshness.left()));
      if (fault.isPresent() && !stale()) {
        return Optional.empty();
      }
      Instant asOf = config.time().instant();
      FoundRows rows;
      try {
        rows = reader.read(position);
      } catch (MissingRowsException e) {
        // The generation has gone meanwhile, as the state tells then, or somebody meddled with it.
        fault = Optional.of(e.getMessage());
        return Optional.empty();
      } catch (UnexpectedRowException e) {
        ViewMetadata now = readMetadata(query.view()).metadata();
        if (readable(now).isPresent() && serves(now, generation.number())) {
          // It stays there, and to come by it once more may cost a scan.
          throw new ViewNotReadyException(query.view(), ViewState.State.DEGRADED, e.getMessage());
        }
        return Optional.empty();
      }
      // Asked only now: no pause goes unnoticed that one of the clocks counts.
      ViewMetadata after = reads.isRecent(seen) ? before : readMetadata(query.view()).metadata();
      position.ifPresent(token -> requireGeneration(after, token.generation()));
      boolean ready =
          before.state() == ViewState.State.READY && after.state() == ViewState.State.READY;
      if (!serves(after, generation.number()) || !(ready || stale())) {
        return Optional.empty();
      }
      ViewMetadata worse = before.state() == ViewState.State.READY ? after : before;
      boolean isFaulty = ready && fault.isPresent();
      String reason = worse.reason().isEmpty() ? tooOld.orElse("") : worse.reason();
      return Optional.of(
          reader.page(
              rows,
              position,
              source(),
              isFaulty ? ViewState.State.DEGRADED : worse.state(),
              isFaulty ? fault.get() : reason,
              asOf,
              visibleBefore(before)));
    }
  }
}
