package io.indexview.server.record;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.List;

/** {@code /records/{set}/under}: the records whose keys begin with a partial key. */
@Singleton
@Path("/records/{set}/under")
@Produces(MediaType.APPLICATION_JSON)
public final class PartialKeyResource {
  private static final String KEY = "key";
  private static final String AFTER = "after";
  private static final String LIMIT = "limit";
  private static final int MAX_LIMIT = 1_000;
  private static final int PAGE = 100;

  private final RecordSets recordSets;

  @Inject
  public PartialKeyResource(RecordSets recordSets) {
    this.recordSets = recordSets;
  }

  @GET
  public RecordAnswer.Page read(
      @PathParam("set") String set,
      @QueryParam(KEY) String key,
      @QueryParam(AFTER) String after,
      @QueryParam(LIMIT) String limit) {
    WritableSet records = recordSets.writable(set);
    List<ProblemDetails.Item> problems = new ArrayList<>();
    KvKey start = key == null ? records.prefix() : start(records, key, problems);
    KvKey last = after == null ? null : key(AFTER, after, problems);
    if (start != null && last != null && !new KvPartialKey(start).includes(last)) {
      problems.add(
          new ProblemDetails.Item(AFTER, after, "use the answer's next of the same partial key"));
    }
    int max = limit(limit, PAGE, problems);
    verify(problems);
    return records.page(new KvPartialKey(start), last, max);
  }

  @DELETE
  public RecordAnswer.Removal delete(
      @PathParam("set") String set, @QueryParam(KEY) String key, @QueryParam(LIMIT) String limit) {
    WritableSet records = recordSets.writable(set);
    List<ProblemDetails.Item> problems = new ArrayList<>();
    KvKey start = start(records, key, problems);
    int max = limit(limit, MAX_LIMIT, problems);
    verify(problems);
    return records.multiDelete(new KvPartialKey(start), max);
  }

  private static KvKey start(WritableSet records, String text, List<ProblemDetails.Item> problems) {
    if (text == null) {
      problems.add(new ProblemDetails.Item(KEY, "", "is missing; " + RecordKeys.REMEDY));
      return null;
    }
    KvKey start = key(KEY, text, problems);
    if (start != null) {
      records
          .problemOfPartial(start)
          .ifPresent(problem -> problems.add(new ProblemDetails.Item(KEY, text, problem)));
    }
    return start;
  }

  private static KvKey key(String name, String text, List<ProblemDetails.Item> problems) {
    try {
      return RecordKeys.key(text);
    } catch (IllegalArgumentException e) {
      problems.add(new ProblemDetails.Item(name, text, e.getMessage()));
      return null;
    }
  }

  private static int limit(String text, int unset, List<ProblemDetails.Item> problems) {
    if (text == null) {
      return unset;
    }
    if (!text.matches("[0-9]{1,4}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > MAX_LIMIT) {
      problems.add(new ProblemDetails.Item(LIMIT, text, "use a number from 1 to " + MAX_LIMIT));
      return unset;
    }
    return Integer.parseInt(text);
  }

  private static void verify(List<ProblemDetails.Item> problems) {
    if (!problems.isEmpty()) {
      throw ProblemException.badParameters(problems);
    }
  }
}
