package quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.web3j.protocol.core.Response;

/** What was called, area by area. A call that goes wrong ends its area, for the next ones rest on it. */
final class Calls {
    /** As `main` prints it. */
    final Map<String, Map<String, Object>> areas = new TreeMap<>();
    private List<String> passed;

    interface Call<T> {
        T run() throws Exception;
    }

    interface Area {
        void run() throws Exception;
    }

    void area(String name, Area area) {
        passed = new ArrayList<>();
        Map<String, Object> outcome = new TreeMap<>();
        outcome.put("passed", passed);
        areas.put(name, outcome);
        try {
            area.run();
        } catch (Throwable failure) {
            outcome.put("failed", rootOf(failure).toString());
        }
    }

    <T> T call(String name, Call<T> call) {
        try {
            T result = call.run();
            passed.add(name);
            return result;
        } catch (Throwable failure) {
            throw new IllegalStateException(name + ": " + rootOf(failure));
        }
    }

    /** The answer must be this. */
    void expect(String name, Object wanted, Call<?> call) {
        call(name, () -> {
            Object result = call.run();
            if (!wanted.equals(result)) throw new IllegalStateException("is " + result + " and not " + wanted);
            return result;
        });
    }

    /** It must be refused with a text that holds this. */
    void refused(String name, String text, Call<? extends Response<?>> call) {
        call(name, () -> {
            var error = call.run().getError();
            if (error == null || !error.getMessage().contains(text))
                throw new IllegalStateException("is refused with " + (error == null ? "nothing" : error.getMessage()));
            return null;
        });
    }

    /** web3j's own model cannot hold what GoQuorum answers: the day it can, this fails, and the page is wrong. */
    void unreadable(String name, String member, Call<?> call) {
        call(name, () -> {
            try {
                call.run();
            } catch (Exception failure) {
                if (rootOf(failure).toString().contains(member)) return null;
                throw failure;
            }
            throw new IllegalStateException("web3j reads it");
        });
    }

    static <T> T result(Response<T> response) {
        if (response.hasError()) throw new IllegalStateException(response.getError().getMessage());
        return response.getResult();
    }

    /** Asks until there is an answer other than null. */
    static <T> T until(String what, Call<T> call) throws Exception {
        for (int i = 0; i < 300; i++) {
            T answer = call.run();
            if (answer != null) return answer;
            Thread.sleep(100);
        }
        throw new IllegalStateException("not so within 30 s: " + what);
    }

    private static Throwable rootOf(Throwable failure) {
        while (failure.getCause() != null) failure = failure.getCause();
        return failure;
    }
}
