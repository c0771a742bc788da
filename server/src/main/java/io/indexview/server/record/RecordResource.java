package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** {@code /records/{set}}: primary records in the KV store. */
@Singleton
@Path("/records/{set}")
@Produces(MediaType.APPLICATION_JSON)
public final class RecordResource {
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String IF_VERSION = "ifVersion";
  private static final String IF_ABSENT = "ifAbsent";

  private final RecordSets recordSets;

  @Inject
  public RecordResource(RecordSets recordSets) {
    this.recordSets = recordSets;
  }

  @GET
  public RecordAnswer get(@PathParam("set") String set, @QueryParam(KEY) String key) {
    return recordSets
        .writable(set)
        .get(required(KEY, key, RecordKeys::key), KvConsistency.ABSOLUTE);
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public RecordAnswer.Write put(@PathParam("set") String set, String text) {
    JsonBody body = JsonBody.parse(text, Set.of(KEY, VALUE, IF_VERSION, IF_ABSENT));
    Optional<KvKey> key =
        body.require(KEY, new Form<>(RecordKeys::isKey, RecordKeys::key, RecordKeys.REMEDY));
    Optional<JsonNode> value = body.require(VALUE, Form.OBJECT);
    Optional<KvVersion> version =
        body.get(IF_VERSION, Form.text(RecordKeys::version, RecordKeys.versionRemedy()));
    boolean absent = body.get(IF_ABSENT, Form.BOOLEAN).orElse(false);
    if (absent && version.isPresent()) {
      body.wrong(IF_ABSENT, "contradicts ifVersion; use one of them");
    }
    body.verify();
    return RecordAnswer.Write.of(
        recordSets
            .writable(set)
            .put(
                key.orElseThrow(),
                value.orElseThrow(),
                new WritableSet.Condition(absent, version)));
  }

  @DELETE
  public RecordAnswer.Write delete(
      @PathParam("set") String set,
      @QueryParam(KEY) String key,
      @QueryParam(IF_VERSION) String version) {
    return RecordAnswer.Write.of(
        recordSets
            .writable(set)
            .delete(
                required(KEY, key, RecordKeys::key),
                version == null
                    ? Optional.empty()
                    : Optional.of(required(IF_VERSION, version, RecordKeys::version))));
  }

  @POST
  @Path("/execute")
  @Consumes(MediaType.APPLICATION_JSON)
  public RecordAnswer.Results execute(@PathParam("set") String set, String text) {
    WritableSet records = recordSets.writable(set);
    return records.execute(Operations.parse(text, records));
  }

  private static <T> T required(String name, String text, Function<String, T> reading) {
    try {
      if (text != null) {
        return reading.apply(text);
      }
    } catch (IllegalArgumentException e) {
      throw wrong(name, text, e.getMessage());
    }
    throw wrong(name, "", "is missing");
  }

  private static ProblemException wrong(String name, String value, String message) {
    return ProblemException.badParameters(List.of(new ProblemDetails.Item(name, value, message)));
  }
}
